/** So much is told of what is no HTTP. Bytes. */
const told = 16;

/** What came instead of HTTP, as a note says it: the end of it is what `Privacy.note` may have to replace. */
export const beginningOf = (bytes: Uint8Array, before: string): string =>
  `${before}; it begins ${JSON.stringify(Buffer.from(bytes.subarray(0, told)).toString('latin1'))}`;
