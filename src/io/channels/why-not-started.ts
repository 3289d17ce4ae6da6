import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { delimiter, resolve, sep } from 'node:path';

/** Why a program could not be started: which file was looked for, and where. */
export function whyNotStarted(
  program: string,
  cause: NodeJS.ErrnoException,
  cwd: string | undefined,
  env: NodeJS.ProcessEnv,
): string {
  return `Could not start "${program}": ${program === '' ? 'the command is empty' : reason(program, cause, cwd, env)}.`;
}

function reason(
  program: string,
  cause: NodeJS.ErrnoException,
  cwd: string | undefined,
  env: NodeJS.ProcessEnv,
): string {
  if (cwd !== undefined) {
    const wrong = whatIsWrongWithFolder(cwd);
    if (wrong !== undefined) return `the working directory ${cwd} ${wrong}`;
  }
  const isPath = program.includes('/') || program.includes(sep);
  const from = (file: string): string => absolute(cwd ?? '.', file);
  const places = isPath ? [] : searchPath(env);
  const candidates = isPath ? [from(program)] : places.map((place) => from(`${place || '.'}/${program}`));
  const found = candidates.find((file) => existsSync(file));
  if (found === undefined) return isPath ? noSuchFile(candidates[0] ?? program) : notOnPath(program, env['PATH']);
  if (isFolder(found)) return `${found} is a folder`;
  if (!isExecutable(found)) return `${found} is not executable (try: chmod +x ${found})`;
  if (cause.code === 'ENOENT') return `${found} is there, but ${missingInterpreter(found)}`;
  return cause.code === 'ETXTBSY' ? `${found} is being written at this moment` : `${found}: ${cause.message}`;
}

function absolute(folder: string, file: string): string {
  try {
    return resolve(folder, file);
  } catch {
    // The folder that we run in has been deleted.
    return file;
  }
}

const noSuchFile = (file: string): string =>
  `there is no file ${file}. Check the path, or give the program's name alone to have it looked for on PATH`;

function notOnPath(program: string, path: string | undefined): string {
  const where = path === undefined ? 'PATH, which is not set' : `PATH, which is ${path === '' ? 'empty' : path}`;
  return `looked for a file "${program}" on ${where}. Install it, give its full path, or set PATH where the host starts wireproof`;
}

const searchPath = (env: NodeJS.ProcessEnv): string[] =>
  (env['PATH'] ?? env['Path'] ?? '/bin:/usr/bin').split(delimiter).filter((place, _, all) => place || all.length > 1);

/** The system says that a file is missing, and this one is there: then what its first line names is. */
function missingInterpreter(file: string): string {
  const line = /^#![ \t]*([^\n]*)/.exec(beginningOf(file))?.[1];
  if (line === undefined) return 'the loader that it was built for is not (is it a program for another system?)';
  const interpreter = line.split(/[ \t]/, 1)[0] ?? '';
  if (!interpreter.endsWith('\r')) return `the interpreter that its first line names is not: ${interpreter}`;
  return `its first line ends in a carriage return, which makes its interpreter "${interpreter.slice(0, -1)}\\r": save it with Unix line ends`;
}

function beginningOf(file: string): string {
  const buffer = Buffer.alloc(256);
  try {
    const descriptor = openSync(file, 'r');
    const length = readSync(descriptor, buffer, 0, buffer.length, 0);
    closeSync(descriptor);
    return buffer.toString('latin1', 0, length);
  } catch {
    return '';
  }
}

function whatIsWrongWithFolder(path: string): string | undefined {
  if (!existsSync(path)) return 'does not exist';
  if (!isFolder(path)) return 'is no folder';
  return isExecutable(path) ? undefined : 'may not be entered';
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
