// Builds dist/: the command line as CommonJS chunks (they start faster), the library as one ES module, its types.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
const options = new Set(process.argv.slice(2));

/** The newest change among some files and folders, in milliseconds. */
function newest(paths) {
  return Math.max(
    ...paths.map((path) => {
      const found = statSync(path);
      if (!found.isDirectory()) return found.mtimeMs;
      return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newest([join(path, name)])));
    }),
  );
}

const isStale = (made, sources) => !existsSync(made) || statSync(made).mtimeMs < newest(sources);

async function bundle(input, output, settings = {}) {
  const build = await rolldown({ input, platform: 'node', logLevel: 'warn', ...settings });
  const { output: chunks } = await build.write(output);
  await build.close();
  return chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

/** Says whose code stands in the bundles, and under which licence. */
function writeNotices(modules, file) {
  const folders = new Set(
    modules.map((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]).filter(Boolean),
  );
  const notices = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const licence = readdirSync(folder).find((found) => /^licen[cs]e/i.test(found));
    return `${name} ${version} (${license})\n\n${licence ? readFileSync(join(folder, licence), 'utf8').trim() : ''}\n`;
  });
  writeFileSync(file, notices.join('\n----\n\n'));
}

/** Builds beside `dist` and then takes its place, so that what runs from there in the meantime is not pulled away. */
async function buildAll() {
  const next = '.dist-next';
  rmSync(next, { recursive: true, force: true });
  mkdirSync(next, { recursive: true });
  const cli = await bundle(
    { wireproof: 'src/cli/main.ts' },
    {
      dir: next,
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: 'chunks/[name]-[hash].cjs',
      // Less to read at each start; names stay, so that a stack trace can still be read.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      codeSplitting: {
        // Small things that most verbs need: one file to open, not many.
        groups: [
          {
            name: 'common',
            test: /src\/(core\/wire\/utf8|core\/wireproof-error|cli\/(quantities|tell|environment)|cli\/verbs\/call|io\/(leave|clock|channels\/server-process))/,
          },
          // What is loaded at once while a server starts.
          {
            name: 'recording',
            test: /src\/(io\/(stdio-recording|record-keeper)|core\/trace\/(staging|mask-secrets))\.ts/,
          },
        ],
      },
      banner: (chunk) => (chunk.isEntry ? '#!/usr/bin/env node' : ''),
    },
  );
  chmodSync(`${next}/wireproof.cjs`, 0o755);
  const library = await bundle('src/index.ts', { file: `${next}/index.js`, format: 'esm', codeSplitting: false });
  const client = await bundle('src/client.ts', { file: `${next}/client.js`, format: 'esm', codeSplitting: false });
  // A thread has a file of its own, that both of them find.
  const thread = await bundle('src/io/schema-worker/schema-thread.ts', {
    file: `${next}/schema-thread.cjs`,
    format: 'cjs',
    codeSplitting: false,
  });
  // So has a process.
  await bundle('src/io/oauth/keychain-process.ts', {
    file: `${next}/keychain-process.cjs`,
    format: 'cjs',
    codeSplitting: false,
  });
  writeNotices([...cli, ...library, ...client, ...thread], `${next}/THIRD_PARTY_NOTICES`);
  const types = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json', '--outDir', `${next}/types`];
  execFileSync(process.execPath, types, { stdio: 'inherit' });
  rmSync('dist', { recursive: true, force: true });
  renameSync(next, 'dist');
}

const exampleAdd = 'dist/examples/add-server.js';

if (options.has('--example-add')) {
  if (isStale(exampleAdd, ['examples/add-server.ts', 'package.json'])) {
    await bundle('examples/add-server.ts', { file: exampleAdd, format: 'esm', codeSplitting: false });
  }
} else if (!options.has('--if-stale') || isStale('dist/wireproof.cjs', ['src', 'package.json', 'scripts/build.mjs'])) {
  await buildAll();
}
