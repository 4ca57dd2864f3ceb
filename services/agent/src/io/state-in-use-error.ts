/** Another agent uses the state folder. The message says in one line what to do. */
export class StateInUseError extends Error {
  readonly code = 'STATE_IN_USE';
}
