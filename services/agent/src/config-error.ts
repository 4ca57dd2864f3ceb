/** A configuration or option prevents the start; the message says in one line what to do. */
export class AgentConfigError extends Error {
  readonly code = 'AGENT_CONFIG';
}
