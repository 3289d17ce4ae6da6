/** What a body, or a line, is to be looked through as. */
export type BodyKind = 'events' | 'json' | 'form' | 'multipart' | 'text';

/** A parameter's name with its equals sign. What stands before it in no form is left out. */
const parameter = '[^\\s=&<>"{}]{1,256}=';
const beginsAsForm = new RegExp(`^\\s*${parameter}`);
const goesOnAsForm = new RegExp(`&${parameter}`);

/**
 * What a body is, by what it looks like and by what its `Content-Type` says: senders leave that out or have it wrong,
 * as `curl -d` does. What cannot be told from the text is what it says it is.
 *
 * @param isLine it is a line that a process wrote
 */
export function bodyKind(text: string, type: string, isLine = false): BodyKind {
  if ((isMultipart(type) && /(?:^|\n)--/.test(text)) || looksLikeMultipart(text)) return 'multipart';
  if (looksLikeForm(text, isLine)) return 'form';
  if (looksLikeJson(text)) return 'json';
  if (isForm(type)) return 'form';
  return isEvents(type) || (!isLine && looksLikeEvents(text)) ? 'events' : 'text';
}

export const isForm = (type: string): boolean => /^\s*application\/x-www-form-urlencoded\b/i.test(type);
export const isEvents = (type: string): boolean => /^\s*text\/event-stream\b/i.test(type);
const isMultipart = (type: string): boolean => /^\s*multipart\//i.test(type);
/** It says that it is JSON. */
export const isJsonType = (type: string): boolean => /^\s*application\/(?:[\w.-]+\+)?json\b/i.test(type);

// A byte-order mark counts as space.
const looksLikeJson = (text: string): boolean => /^\s*["[{]/.test(text);

/** Words about something, as logs have them (`code=404 not found`), are no form. A line has to have two parameters too. */
function looksLikeForm(text: string, isLine: boolean): boolean {
  if (!beginsAsForm.test(text)) return false;
  const hasTwo = goesOnAsForm.test(text);
  const hasSpace = /\s/.test(text.trim());
  return isLine ? hasTwo && !hasSpace : hasTwo || !hasSpace;
}

const looksLikeMultipart = (text: string): boolean =>
  text.startsWith('--') && /^--[^\r\n]{1,200}\r?\ncontent-/i.test(text);

const looksLikeEvents = (text: string): boolean =>
  /^\ufeff?(?:(?:event|id|retry|data):|:)/.test(text) && /(?:^\ufeff?|[\r\n])data:/.test(text);
