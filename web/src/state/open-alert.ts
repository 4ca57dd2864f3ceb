/** Id of the alert with an open panel, which needs no notice. */
let openId: string | null = null;

export const isOpenAlert = (id: string): boolean => openId === id;

/** Records that an alert's panel opened. Returns the function to call when the panel closes. */
export function enterAlert(id: string): () => void {
  openId = id;
  return () => {
    if (openId === id) openId = null;
  };
}
