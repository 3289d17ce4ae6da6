// What `tap` needs once the server is starting: a chunk of its own, loaded meanwhile.
export { maskSecrets } from '../core/trace/mask-secrets.ts';
export { isoTime } from '../io/clock.ts';
export { Recording } from '../io/recording.ts';
export { StdioConnection } from '../io/stdio-connection.ts';
export { openStore } from '../io/stores/open.ts';
export { idInName, newTraceId } from '../io/stores/trace-id.ts';
