/** Signatures about which implementations of Ed25519 differ. All are of the message `hello`. */
export const ED25519_MESSAGE = '68656c6c6f';

export const ED25519_CASES: readonly {
  readonly name: string;
  readonly publicKey: string;
  readonly signature: string;
  readonly holds: boolean;
}[] = [
  {
    name: 'as it should be',
    publicKey: '7767a3242dc9b58bbc68488c1265cc6cc5f26c6f3c88a5d55e901b0734dca572',
    signature:
      'edc876d6831fd2105d0b4389ca2e283166469289146e2ce06faefe98b22548df9b66e13ecd314e8ae04ad8b95ac38be415580d05c53bfe77e63e481d6e027f0a',
    holds: true,
  },
  {
    name: 'R beside a point of order 8',
    publicKey: '7767a3242dc9b58bbc68488c1265cc6cc5f26c6f3c88a5d55e901b0734dca572',
    signature:
      '2856536c4aeeeb789bd4c703a54587280a914c7e7b9054f42dda4012e369282cdbde8515bcfdf5dbe8ae923b6f197428f1aa2150f23f69d2579e83b7c7022a0c',
    holds: false,
  },
  {
    name: 'key beside a point of order 8',
    publicKey: 'b15bf26424d1b69dd33b7a9e57db5de4a2aadea4a2a051efd9bfd6af74165d2b',
    signature:
      '58666666666666666666666666666666666666666666666666666666666666666e43a5596c1294a481c289406e65f38b6d8cb6995d9195a43dc3cb61b340e20c',
    holds: false,
  },
  {
    name: 'key beside a point of order 8, and a hash that removes it',
    publicKey: 'b15bf26424d1b69dd33b7a9e57db5de4a2aadea4a2a051efd9bfd6af74165d2b',
    signature:
      'edc876d6831fd2105d0b4389ca2e283166469289146e2ce06faefe98b22548df365ea3dfcfa93c97ed1a25117d8e1e11290e86fda6026ef7939dbf639f3c7c0f',
    holds: true,
  },
  {
    name: 'key of small order 01…00',
    publicKey: '0100000000000000000000000000000000000000000000000000000000000000',
    signature:
      '58666666666666666666666666666666666666666666666666666666666666660100000000000000000000000000000000000000000000000000000000000000',
    holds: false,
  },
  {
    name: 'key of small order ec…7f',
    publicKey: 'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    signature:
      '58666666666666666666666666666666666666666666666666666666666666660100000000000000000000000000000000000000000000000000000000000000',
    holds: false,
  },
  {
    name: 'key of small order 00…80',
    publicKey: '0000000000000000000000000000000000000000000000000000000000000080',
    signature:
      '801f40eaaee1ef8723279a28b2cf4037b889dad222604678748b53ed0db0db920d00000000000000000000000000000000000000000000000000000000000000',
    holds: false,
  },
  {
    name: 'key of small order 00…00',
    publicKey: '0000000000000000000000000000000000000000000000000000000000000000',
    signature:
      '58666666666666666666666666666666666666666666666666666666666666660100000000000000000000000000000000000000000000000000000000000000',
    holds: false,
  },
  {
    name: 'key of small order c7…7a',
    publicKey: 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    signature:
      'c9a3f86aae465f0e56513864510f3997561fa2c9e85ea21dc2292309f3cd60220200000000000000000000000000000000000000000000000000000000000000',
    holds: false,
  },
  {
    name: 'key of small order 26…05',
    publicKey: '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    signature:
      'c9a3f86aae465f0e56513864510f3997561fa2c9e85ea21dc2292309f3cd60220200000000000000000000000000000000000000000000000000000000000000',
    holds: false,
  },
  {
    name: 'key of small order ed…7f',
    publicKey: 'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    signature:
      '58666666666666666666666666666666666666666666666666666666666666660100000000000000000000000000000000000000000000000000000000000000',
    holds: false,
  },
  {
    name: 'key of small order ee…7f',
    publicKey: 'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    signature:
      '58666666666666666666666666666666666666666666666666666666666666660100000000000000000000000000000000000000000000000000000000000000',
    holds: false,
  },
  {
    name: 'key of small order 01…80',
    publicKey: '0100000000000000000000000000000000000000000000000000000000000080',
    signature:
      '58666666666666666666666666666666666666666666666666666666666666660100000000000000000000000000000000000000000000000000000000000000',
    holds: false,
  },
  {
    name: 'key of small order ee…ff',
    publicKey: 'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    signature:
      '58666666666666666666666666666666666666666666666666666666666666660100000000000000000000000000000000000000000000000000000000000000',
    holds: false,
  },
  {
    name: 'S plus the order',
    publicKey: '7767a3242dc9b58bbc68488c1265cc6cc5f26c6f3c88a5d55e901b0734dca572',
    signature:
      'edc876d6831fd2105d0b4389ca2e283166469289146e2ce06faefe98b22548df883ad79be79460e2b6e7cf5c39bd6af915580d05c53bfe77e63e481d6e027f1a',
    holds: false,
  },
  {
    name: 'R not in its one form',
    publicKey: '7767a3242dc9b58bbc68488c1265cc6cc5f26c6f3c88a5d55e901b0734dca572',
    signature:
      'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7ff00601920b6a630eeb0128cccfb243a249025b24906f0fc6071177d187459005',
    holds: false,
  },
  {
    name: 'R of order 1',
    publicKey: '7767a3242dc9b58bbc68488c1265cc6cc5f26c6f3c88a5d55e901b0734dca572',
    signature:
      '0100000000000000000000000000000000000000000000000000000000000000eb3ae651a6ecfe70d7f664fef363f1b3ee5bf630f86f96dd3ffa985446c53f09',
    holds: false,
  },
  {
    name: 'R of order 8, of a key beside a point of order 8',
    publicKey: 'ad7f58c28db189e895243d319fc6b477117b41b6f2f1b3ae7c40f48752fff0af',
    signature:
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a1cb5906612410835b9cc352804dd8113be0c0e4087105ff2046a0e7d84a4d605',
    holds: false,
  },
  {
    name: 'R of order 4, of a key beside a point of order 8',
    publicKey: 'aa6b07b82830d6833f5fd8be45aa6ece9ed1a01cfaeef5fde5fb68142c3e145f',
    signature:
      '0000000000000000000000000000000000000000000000000000000000000080fb6e41396abf2d4db8c490cf790e58b1fd56c24e2f7bf613fa86d39e63b9a50f',
    holds: false,
  },
  {
    name: 'R of order 2, of a key beside a point of order 8',
    publicKey: '93355be0c77e050270b9446f294da9ba2ff66d4d6a63b4124b75a40ff0f8e750',
    signature:
      'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f61c4ef831410c9197e8918349d33dc7a7c39d456517b0c74f36ef72f01df760f',
    holds: false,
  },
];
