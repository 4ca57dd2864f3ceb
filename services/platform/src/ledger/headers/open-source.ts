import type { KnownBlock } from '@sentinel-node/contracts';
import { fileSource, fileUrlSource } from './file-source.ts';
import { serviceSource } from './service-source.ts';
import type { HeaderSource } from './source.ts';

/** Source of the block headers. */
export type HeadersFrom =
  | { readonly kind: 'service'; readonly url: string; readonly key: string | undefined }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'file-url'; readonly url: string };

export function openSource(from: HeadersFrom, checkpoint: KnownBlock, signal: AbortSignal): HeaderSource {
  switch (from.kind) {
    case 'service':
      return serviceSource({ url: from.url, key: from.key, signal });
    case 'file':
      return fileSource(from.path, checkpoint);
    case 'file-url':
      return fileUrlSource(from.url, checkpoint, signal);
  }
}
