import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers requests for `node:http`; what it takes time for, it may wait for. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;
