/** The alert whose panel is open: nothing of it needs to be announced. */
let openId: string | null = null;

export const isOpenAlert = (id: string): boolean => openId === id;

/** Call it when the panel of an alert opens; call what it returns when the panel closes. */
export function enterAlert(id: string): () => void {
  openId = id;
  return () => {
    if (openId === id) openId = null;
  };
}
