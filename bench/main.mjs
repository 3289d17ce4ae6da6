// npm run bench -- tap [--rounds N]: measures, prints, and writes docs/benchmarks.md.
import { writeFileSync } from 'node:fs';
import { benchTap } from './tap.mjs';

const [what, option, value] = process.argv.slice(2);
const rounds = option === '--rounds' ? Number(value) : 5;
if (what !== 'tap' || !(rounds > 0)) {
  process.stderr.write('usage: npm run bench -- tap [--rounds N]\n');
  process.exit(2);
}

const page = await benchTap({ rounds, say: (text) => process.stderr.write(`${text}\n`) });
const intro = [
  '# Benchmarks',
  '',
  'Made by `npm run bench -- tap`, which overwrites this page. All subjects run side by side in one run, with the same',
  'client and the same server, over pipes; what counts are the ratios. Times: less is better. Throughput: more is.',
  'The two tees are the shell pipeline `tee up | server | tee down`, which keeps both directions without times, order or',
  'proof.',
  '',
];
writeFileSync('docs/benchmarks.md', `${[...intro, ...page].join('\n')}\n`);
process.stdout.write(`${page.join('\n')}\n`);
