export { syslogFollower, type SyslogFollower } from './follower.ts';
