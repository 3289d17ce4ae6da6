/**
 * wireproof as a library: the trace format read, written, paired and proved. The core touches nothing, so the
 * same code runs in Node and in a browser.
 */
export type { Machine } from './core/machine.ts';
export { chain } from './core/machine.ts';
export { type ErrorCode, WireproofError } from './core/wireproof-error.ts';
export { type Message, readMessage, readMessages, type Side } from './core/protocol/message.ts';
export { type Era, revisions } from './core/protocol/revision.ts';
export { LineFramer } from './core/wire/line-framer.ts';
export type { Closed, Counts, Lost, StreamName, Sum, Sums, TraceEvent, TraceHeader } from './core/trace/format.ts';
export { type Hasher } from './core/trace/running-sum.ts';
export { Recorder } from './core/trace/recorder.ts';
export { type TraceItem, TraceReader } from './core/trace/trace-reader.ts';
export { StreamBytes } from './core/trace/stream-bytes.ts';
export { type Gap, type Verification, Verifier } from './core/trace/verify.ts';
export { Exchanges } from './core/trace/exchanges.ts';
export type { ConnectionUnit, ExchangeUnit, FrameUnit, StreamUnit, Unit } from './core/trace/unit.ts';
