export { Agent, type AgentOptions } from './agent.ts';
export { cli, type Command } from './cli.ts';
export { AgentConfigError, checkConfiguration, readConfiguration } from './config.ts';
