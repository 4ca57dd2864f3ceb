/** Shows a shortcut's keys. Assistive technology gets them from `aria-keyshortcuts` and the help. */
export function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span className="keys" aria-hidden="true">
      {keys.map((key, index) => (
        <kbd key={index}>{key}</kbd>
      ))}
    </span>
  );
}
