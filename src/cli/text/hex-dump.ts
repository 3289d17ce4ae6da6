const rowLength = 16;

/** Bytes as people read them: offset, hexadecimal, and the ASCII among them. `isOdd` picks those to be painted. */
export function hexDump(bytes: Uint8Array, isOdd: (at: number) => boolean, paint: (text: string) => string): string[] {
  const lines: string[] = [];
  for (let from = 0; from < bytes.length; from += rowLength) {
    const row = [...bytes.subarray(from, from + rowLength)];
    const painted = (text: string, index: number): string => (isOdd(from + index) ? paint(text) : text);
    const hex = row.map((byte, index) => painted(byte.toString(16).padStart(2, '0'), index));
    const ascii = row.map((byte, index) =>
      painted(byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.', index),
    );
    const blank = '   '.repeat(rowLength - row.length);
    lines.push(`${from.toString(16).padStart(8, '0')}  ${hex.join(' ')}${blank}  ${ascii.join('')}`);
  }
  return lines;
}
