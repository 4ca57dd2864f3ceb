export { Agent, type AgentOptions } from './agent.ts';
export { cli, type Command } from './cli.ts';
export { AgentConfigError, checkConfiguration, readConfiguration } from './config.ts';
export { Simulation, type SimulationResult } from './simulate/simulation.ts';
export { nextVersion } from './simulate/simulated-file.ts';
