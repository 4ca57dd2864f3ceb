/** Master secret of the tests' systems. */
export const SECRET = 'a master secret that only the tests use';
