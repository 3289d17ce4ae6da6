import { existsSync, statSync } from 'node:fs';
import { delimiter, join, resolve, sep } from 'node:path';

/** Why a program could not be started: which file was looked for, and where. */
export function whyNotStarted(
  program: string,
  cause: NodeJS.ErrnoException,
  cwd: string | undefined,
  env: NodeJS.ProcessEnv,
): string {
  const folder = cwd ?? process.cwd();
  if (!isFolder(folder)) return `Could not start "${program}": the working directory ${folder} does not exist.`;
  const isPath = program.includes('/') || program.includes(sep);
  const candidates = isPath ? [resolve(folder, program)] : searchPath(env).map((place) => join(place, program));
  const found = candidates.find((file) => existsSync(file));
  if (found === undefined) return isPath ? noSuchFile(program, candidates[0] ?? program) : notOnPath(program, env);
  if (isFolder(found)) return `Could not start "${program}": ${found} is a folder.`;
  if (cause.code === 'EACCES')
    return `Could not start "${program}": ${found} is not executable (try: chmod +x ${found}).`;
  if (cause.code === 'ENOENT') {
    return `Could not start "${program}": ${found} is there, but the interpreter named in its first line is not.`;
  }
  return `Could not start "${program}" (${found}): ${cause.message}.`;
}

const noSuchFile = (program: string, file: string): string =>
  `Could not start "${program}": there is no file ${file}. Check the path, or give the program's name alone to have it looked for on PATH.`;

function notOnPath(program: string, env: NodeJS.ProcessEnv): string {
  const path = searchPath(env);
  const where = path.length > 0 ? `PATH, which is ${path.join(delimiter)}` : 'PATH, which is empty';
  return `Could not start "${program}": looked for a file "${program}" on ${where}. Install it, give its full path, or set PATH where the host starts wireproof.`;
}

const searchPath = (env: NodeJS.ProcessEnv): string[] =>
  (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((place) => place !== '');

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
