/**
 * A request id as a key: two ids have the same key when they are the same id. A number and a
 * string never are; two numbers are when their exact decimal values are, so `1` and `1.0` share a
 * key and 2^53 and 2^53+1 do not.
 *
 * @param text The id as it stood in the message: a JSON token such as `7`, `1.0` or `"7"`.
 */
export function idKey(text: string): string {
  if (text.startsWith('"')) return `s${JSON.parse(text) as string}`;
  const decimal = exactDecimal(text);
  return decimal === undefined ? `j${text}` : `n${decimal}`;
}

const number = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Digits without leading or trailing zeros, and the power of ten that belongs to them. */
function exactDecimal(text: string): string | undefined {
  const parts = number.exec(text);
  if (!parts) return undefined;
  const fraction = parts[3] ?? '';
  const all = `${parts[2]}${fraction}`;
  const digits = trimZeros(all);
  if (digits.text === '') return '0';
  const power = BigInt(parts[4] ?? '0') - BigInt(fraction.length) + BigInt(digits.droppedAtEnd);
  return `${parts[1]}${digits.text}e${power}`;
}

function trimZeros(digits: string): { text: string; droppedAtEnd: number } {
  let start = 0;
  while (digits[start] === '0') start++;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end--;
  return { text: digits.slice(start, end), droppedAtEnd: digits.length - end };
}
