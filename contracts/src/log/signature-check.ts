/** Ed25519 (RFC 8032); may be asynchronous (WebCrypto). */
export type SignatureCheck = (
  message: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
) => boolean | Promise<boolean>;
