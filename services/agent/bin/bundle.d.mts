/** Returns the URL of the folder of bundled programs; undefined when the bundle is not made, or older than the compiled packages. */
export function bundleFolder(): URL | undefined;
