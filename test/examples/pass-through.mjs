// Stands between a client and the server that its arguments start, as a recorder does: every
// byte goes on unchanged, and a copy of each direction is kept in the folder KEEP_IN.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const keep = (stream, name) => stream.pipe(createWriteStream(join(process.env.KEEP_IN, name)));
process.stdin.pipe(server.stdin);
server.stdout.pipe(process.stdout);
keep(process.stdin, 'client');
keep(server.stdout, 'server');
server.on('exit', (code) => {
  process.exitCode = code;
});
