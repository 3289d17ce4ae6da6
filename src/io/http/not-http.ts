/** So much is told of what is no HTTP. Bytes. */
const told = 16;

/** What came instead of HTTP, as a note says it: the end of it is what `Privacy.note` may have to replace. */
export const beginningOf = (bytes: Uint8Array, before: string): string =>
  `${before}; it begins ${JSON.stringify(Buffer.from(bytes.subarray(0, told)).toString('latin1'))}`;

/** A record of TLS (RFC 8446, section 5.1): a greeting or an alert. */
export const isTls = (bytes: Uint8Array): boolean => (bytes[0] === 0x16 || bytes[0] === 0x15) && bytes[1] === 0x03;
