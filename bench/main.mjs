// npm run bench -- tap|http|call [--rounds N] [--full]: measures, prints, and writes the bench's own page. What takes long
// (2 GiB in one body, a million events) is done in full with --full only.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { benchCall } from './call.mjs';
import { benchHttp } from './http.mjs';
import { benchTap } from './tap.mjs';

const benches = {
  tap: { measure: benchTap, page: 'docs/benchmarks.md' },
  http: { measure: benchHttp, page: 'docs/benchmarks-http.md' },
  call: { measure: benchCall, page: 'docs/benchmarks-call.md' },
};

function readArguments() {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { rounds: { type: 'string', default: '5' }, full: { type: 'boolean', default: false } },
    });
    const bench = benches[positionals[0]];
    if (bench && Number(values.rounds) > 0) return { bench, rounds: Number(values.rounds), isFull: values.full };
  } catch {
    // There is no such option.
  }
  process.stderr.write('usage: npm run bench -- tap|http|call [--rounds N] [--full]\n');
  return process.exit(2);
}

const { bench, rounds, isFull } = readArguments();
const page = await bench.measure({ rounds, isFull, say: (text) => process.stderr.write(`${text}\n`) });
writeFileSync(bench.page, `${page.join('\n')}\n`);
process.stdout.write(`${page.join('\n')}\n`);
