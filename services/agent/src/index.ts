export { Agent, type AgentOptions } from './agent.ts';
export { cli, type Command } from './cli.ts';
export { checkConfiguration, readConfiguration } from './config.ts';
export { AgentConfigError } from './config-error.ts';
export { Simulation, type SimulationResult } from './simulate/simulation.ts';
export { nextVersion } from './simulate/simulated-file.ts';
