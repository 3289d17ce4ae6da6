import type { Offer, Offered } from '../../commands/call.ts';
import type { Listed } from '../../commands/connect.ts';
import type { Agreement } from '../../core/peer/opening.ts';
import { said } from '../../core/peer/opening.ts';
import { signature } from '../../core/peer/signature.ts';
import { isObject, type JsonObject } from '../../core/protocol/message.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import type { Ink } from './ink.ts';

/** A tool's arguments are written on a line up to this length. */
const longestSignature = 100;

/** What a server is and offers, as lines. */
export function offerText(agreement: Agreement, offer: Offer, ink: Ink): string[] {
  return [
    ...agreementText(agreement, ink),
    ...section('Tools', offer.tools, ink, (tool) => toolText(tool, ink)),
    ...section('Resources', offer.resources, ink, (resource) => itemText(resource, 'uri', ink)),
    ...section('Resource templates', offer.templates, ink, (template) => itemText(template, 'uriTemplate', ink)),
    ...section('Prompts', offer.prompts, ink, (prompt) => promptText(prompt, ink)),
  ];
}

/** Who the server is, and how it is spoken with. */
export function agreementText(agreement: Agreement, ink: Ink): string[] {
  const { server, era, revision, capabilities, instructions } = agreement;
  const name = server
    ? [textOf(server, 'name'), textOf(server, 'version')].filter(Boolean).join(' ')
    : 'a server without a name';
  const title = server ? textOf(server, 'title') : '';
  const abilities = Object.keys(capabilities).map(visibleText).join(', ') || 'nothing';
  return [
    `${ink.bold(name)}${title === '' ? '' : ` ${ink.dim(title)}`}`,
    `  revision ${revision} (${era} era); it says it has ${abilities}`,
    ...(instructions === undefined ? [] : paragraph(instructions, '  ').map((line) => ink.dim(line))),
  ];
}

function section(title: string, listed: Offered, ink: Ink, lines: (item: JsonObject) => string[]): string[] {
  const { items, trouble, flaws } = listed;
  const why = trouble ?? (listed.stopped && stoppedText(listed.stopped));
  if (items.length === 0 && why === undefined && flaws.length === 0) return [];
  return [
    '',
    ink.bold(`${title} (${items.length})`),
    ...items.flatMap(lines),
    ...flaws.map((flaw) => ink.yellow(`  Mind: ${visibleText(flaw)}.`)),
    ...(why === undefined ? [] : [ink.red(`  This list is not whole: ${visibleText(why)}.`)]),
  ];
}

function stoppedText(outcome: NonNullable<Listed['stopped']>): string {
  switch (outcome.kind) {
    case 'error':
      return `the server answered ${said(outcome.error)}`;
    case 'lost':
      return outcome.lost.why;
    case 'silence':
      return `there was no answer in ${outcome.after} ms`;
    default:
      return 'it was given up';
  }
}

function toolText(tool: JsonObject, ink: Ink): string[] {
  const name = textOf(tool, 'name');
  const line = signature(name, tool['inputSchema'], longestSignature);
  return [`  ${ink.cyan(visibleText(line))}${claims(tool['annotations'], ink)}`, ...described(tool, ink)];
}

/** What a tool says of itself is no proof of it. */
function claims(annotations: unknown, ink: Ink): string {
  if (!isObject(annotations)) return '';
  const hints: readonly [string, boolean, string][] = [
    ['readOnlyHint', true, 'only reads'],
    ['destructiveHint', true, 'may destroy'],
    ['destructiveHint', false, 'destroys nothing'],
    ['idempotentHint', true, 'may be repeated'],
    ['openWorldHint', true, 'reaches outside'],
    ['openWorldHint', false, 'stays inside'],
  ];
  const said = hints.filter(([hint, value]) => annotations[hint] === value).map(([, , words]) => words);
  return said.length === 0 ? '' : ink.dim(`  says: ${said.join(', ')}`);
}

function promptText(prompt: JsonObject, ink: Ink): string[] {
  const given = prompt['arguments'];
  const names = (Array.isArray(given) ? given : [])
    .filter(isObject)
    .map((argument) => `${textOf(argument, 'name')}${argument['required'] === true ? '' : '?'}`);
  return [`  ${ink.cyan(`${textOf(prompt, 'name')}(${names.join(', ')})`)}`, ...described(prompt, ink)];
}

function itemText(item: JsonObject, member: string, ink: Ink): string[] {
  const facts = [textOf(item, 'name'), textOf(item, 'mimeType')].filter(Boolean).join(', ');
  return [`  ${ink.cyan(textOf(item, member))}  ${ink.dim(facts)}`, ...described(item, ink)];
}

const described = (item: JsonObject, ink: Ink): string[] => {
  const description = item['description'];
  return typeof description === 'string' && description.trim() !== ''
    ? paragraph(description, '      ').map((line) => ink.dim(line))
    : [];
};

const textOf = (object: JsonObject, member: string): string => {
  const value = object[member];
  return typeof value === 'string' ? visibleText(value) : '';
};

const paragraph = (text: string, indent: string): string[] =>
  text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => `${indent}${visibleText(line)}`);
