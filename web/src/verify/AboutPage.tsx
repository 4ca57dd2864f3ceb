/** Explains who could still deceive the person who checks. */
export function AboutPage({ saved = false }: { saved?: boolean }) {
  return (
    <ul className="plain-list">
      <li>
        {saved
          ? 'You opened a saved file. It is as good as the place you have it from: compare its SHA-256 with that which the publisher of the software gives, or build it yourself.'
          : 'The operator of this server gave you this page, and could give you one that lies. For a check that counts, use the saved page, with its SHA-256 compared, or the command sentinel verify.'}
      </li>
      <li>
        The trust file decides whose log counts. Get it from the operator of the log by another way than the
        proof.
      </li>
      <li>
        A proof shows that an entry existed by the time of a block. It does not show that nothing was left
        out.
      </li>
      <li>
        Files are read where they are. Checking sends nothing; its rules forbid this page any connection
        {saved ? '' : ' but to this server'}.
      </li>
    </ul>
  );
}
