import t from 'tap';
import { heartbeatsAtProcesses } from './heartbeat-processes.ts';

heartbeatsAtProcesses(t);
