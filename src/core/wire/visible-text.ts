/**
 * Characters that change what a reader sees without being seen: controls (C0, DEL, C1), bidirectional marks,
 * zero-width and invisible ones, tags, variation selectors, lone surrogates.
 */
const unseen =
  // oxlint-disable-next-line no-control-regex -- these are what it is for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\p{Cs}/gu;

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

/** Text from the wire made fit for a terminal: what cannot be seen stands as an escape. */
export function visibleText(text: string): string {
  return text.replace(unseen, (character) => named[character] ?? escapeOf(character));
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}
