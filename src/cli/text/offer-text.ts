import type { Offer } from '../../commands/call.ts';
import type { Listed } from '../../commands/connect.ts';
import type { Agreement } from '../../core/peer/opening.ts';
import { said } from '../../core/peer/opening.ts';
import { signature } from '../../core/peer/signature.ts';
import { isObject, type JsonObject } from '../../core/protocol/message.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import type { Ink } from './ink.ts';

/** A tool's arguments are written on a line up to this length. */
const longestSignature = 100;

/** So many lines of a server's instructions, and of what it says of one thing, are shown where not all are wanted. */
const most = { instructions: 6, description: 3 };

/** How much is shown. */
interface Look {
  ink: Ink;
  isWhole: boolean;
}

/** What a server is and offers, as lines. @param isWhole long texts are not cut */
export function offerText(agreement: Agreement, offer: Offer, ink: Ink, isWhole = false): string[] {
  const look = { ink, isWhole };
  return [
    ...agreementText(agreement, ink, isWhole),
    ...section('Tools', offer.tools, ink, (tool) => toolText(tool, look)),
    ...section('Resources', offer.resources, ink, (resource) => itemText(resource, 'uri', look)),
    ...section('Resource templates', offer.templates, ink, (template) => itemText(template, 'uriTemplate', look)),
    ...section('Prompts', offer.prompts, ink, (prompt) => promptText(prompt, look)),
  ];
}

/** Who the server is, and how it is spoken with. */
export function agreementText(agreement: Agreement, ink: Ink, isWhole = false): string[] {
  const { server, era, revision, capabilities, instructions } = agreement;
  const name = server
    ? [textOf(server, 'name'), textOf(server, 'version')].filter(Boolean).join(' ')
    : 'a server without a name';
  const title = server ? textOf(server, 'title') : '';
  const abilities = Object.keys(capabilities).map(visibleText).join(', ') || 'nothing';
  return [
    `${ink.bold(name)}${title === '' ? '' : ` ${ink.dim(title)}`}`,
    `  revision ${revision} (${era} era); it says it has ${abilities}`,
    ...(instructions === undefined ? [] : paragraph(instructions, '  ', { ink, isWhole }, most.instructions)),
  ];
}

function section(title: string, listed: Listed, ink: Ink, lines: (item: JsonObject) => string[]): string[] {
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

/** What came instead of a page. */
export function stoppedText(outcome: NonNullable<Listed['stopped']>): string {
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

function toolText(tool: JsonObject, look: Look): string[] {
  const { ink } = look;
  const name = textOf(tool, 'name');
  const line = signature(name, tool['inputSchema'], longestSignature);
  return [`  ${ink.cyan(visibleText(line))}${claims(tool['annotations'], ink)}`, ...described(tool, look)];
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

function promptText(prompt: JsonObject, look: Look): string[] {
  const { ink } = look;
  const given = prompt['arguments'];
  const names = (Array.isArray(given) ? given : [])
    .filter(isObject)
    .map((argument) => `${textOf(argument, 'name')}${argument['required'] === true ? '' : '?'}`);
  return [`  ${ink.cyan(`${textOf(prompt, 'name')}(${names.join(', ')})`)}`, ...described(prompt, look)];
}

function itemText(item: JsonObject, member: string, look: Look): string[] {
  const { ink } = look;
  const facts = [textOf(item, 'name'), textOf(item, 'mimeType')].filter(Boolean).join(', ');
  return [`  ${ink.cyan(textOf(item, member))}  ${ink.dim(facts)}`, ...described(item, look)];
}

const described = (item: JsonObject, look: Look): string[] => {
  const description = item['description'];
  return typeof description === 'string' && description.trim() !== ''
    ? paragraph(description, '      ', look, most.description)
    : [];
};

const textOf = (object: JsonObject, member: string): string => {
  const value = object[member];
  return typeof value === 'string' ? visibleText(value) : '';
};

function paragraph(text: string, indent: string, { ink, isWhole }: Look, longest: number): string[] {
  const lines = text.trim().split(/\r?\n/);
  // To say that one line is left out would take a line, too.
  const isCut = !isWhole && lines.length > longest + 1;
  const shown = isCut ? lines.slice(0, longest) : lines;
  const more = isCut ? [`${ink.glyph('…', '...')} ${lines.length - longest} more lines: --verbose or --json`] : [];
  return [...shown, ...more].map((line) => ink.dim(`${indent}${visibleText(line)}`.trimEnd()));
}
