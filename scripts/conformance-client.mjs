// npm run conformance:client: every client scenario of the official suite, with `wireproof call` as the client. What it is
// called with, and which scenarios do not apply to it, says test/conformance/client.mjs. Words pick scenarios by their names.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { doesNotApply } from '../test/conformance/client.mjs';
import { folder, node, prepare, start, stop, suite } from './conformance/suite.mjs';

const results = join(folder, 'client-results');
const revisions = ['2025-11-25', '2026-07-28'];
const wanted = process.argv.slice(2);

/** A busy machine makes the client late; the suite warns of that, and says itself that it breaks no rule. */
const mayWarn = 'client-sse-retry-timing';

/** All scenarios, each at each revision that it has; those of extensions belong to none, and are run at all. */
function everyRun() {
  const { stdout } = spawnSync(node, [suite, 'list', '--client'], { encoding: 'utf8' });
  const listed = [...stdout.matchAll(/^ {2}- (\S+) \[(.+)\]$/gm)].map(([, name, tags]) => ({
    name,
    tags: tags.split(','),
  }));
  if (listed.length === 0) stop('the suite lists no client scenarios');
  const gone = Object.keys(doesNotApply).filter((name) => !listed.some((one) => one.name === name));
  if (gone.length > 0) stop(`test/conformance/client.mjs names scenarios that there are not: ${gone.join(', ')}`);
  const chosen = listed.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
  if (chosen.length === 0) stop(`no scenario has a name with ${wanted.join(' or ')} in it`);
  return chosen.flatMap(({ name, tags }) => revisionsOf(tags).map((revision) => ({ name, revision })));
}

function revisionsOf(tags) {
  if (tags.includes('extension')) return revisions;
  const shared = revisions.filter((revision) => tags.includes(revision));
  return shared.length > 0 ? shared : tags.slice(-1);
}

/** Lets the suite play a scenario. @returns why it was not passed, if it was not, and how many checks were */
async function play({ name, revision }) {
  const place = join(results, revision, name);
  mkdirSync(place, { recursive: true });
  const command = 'node test/conformance/client.mjs';
  const words = ['--scenario', name, '--spec-version', revision, '--force', '--timeout', '120000', '-o', place];
  const judge = start(node, [suite, 'client', '--command', command, ...words], { WIREPROOF_HOME: join(place, 'home') });
  await judge.ended;
  writeFileSync(join(place, 'printed.txt'), judge.printed + judge.said);
  const file = (ending) => readdirSync(place, { recursive: true }).find((one) => one.endsWith(ending));
  if (!file('checks.json')) return { passed: 0, why: judge.said.trim().split('\n').at(-1) ?? 'the suite said nothing' };
  const checks = JSON.parse(readFileSync(join(place, file('checks.json')), 'utf8'));
  const client = readFileSync(join(place, file('stderr.txt')), 'utf8');
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
  const broken = checks.find(({ id, status }) => status === 'FAILURE' || (status === 'WARNING' && id !== mayWarn));
  const why =
    (broken && `${broken.id}: ${broken.errorMessage ?? broken.description}`) ??
    /^client: .+/m.exec(client)?.[0] ??
    /CLIENT (TIMED OUT|EXITED).*/.exec(judge.said)?.[0] ??
    (passed === 0 ? 'no check succeeded' : undefined);
  return { passed, why };
}

function line(mark, { name, revision }, text) {
  process.stdout.write(`  ${mark.padEnd(14)}  ${revision}  ${name}: ${text.replace(/\s+/g, ' ').slice(0, 300)}\n`);
}

prepare();
rmSync(results, { recursive: true, force: true });
const counts = { passed: 0, checks: 0, apart: 0, failed: 0 };
for (const run of everyRun()) {
  const { passed, why } = await play(run);
  const reason = doesNotApply[run.name];
  if (why === undefined && reason === undefined) {
    counts.passed++;
    counts.checks += passed;
    line('passed', run, `${passed} checks`);
  } else if (why !== undefined && reason !== undefined) {
    counts.apart++;
    line('does not apply', run, reason);
  } else {
    counts.failed++;
    line('FAILED', run, why ?? 'it passes, and test/conformance/client.mjs says that it does not apply');
  }
}
process.stdout.write(
  `\n${counts.passed} passed with ${counts.checks} checks, ${counts.apart} do not apply, ${counts.failed} failed; all of it is in ${results}\n`,
);
process.exit(counts.failed === 0 ? 0 : 1);
