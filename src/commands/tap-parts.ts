// What `tap` needs once the server is starting: a chunk of its own, loaded meanwhile.
export { StdioConnection } from '../io/stdio-connection.ts';
export { beginStdioRecording } from '../io/stdio-recording.ts';
