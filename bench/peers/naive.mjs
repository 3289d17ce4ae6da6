// A recorder as one would write it first: lines by readline, each parsed, and appended to a file with its time.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import readline from 'node:readline';

const [file, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

function pass(from, input, output) {
  readline.createInterface({ input }).on('line', (line) => {
    fs.appendFileSync(file, `${JSON.stringify({ at: Date.now(), from, message: JSON.parse(line) })}\n`);
    output.write(`${line}\n`);
  });
  input.on('end', () => output.end?.());
}

pass('client', process.stdin, child.stdin);
pass('server', child.stdout, process.stdout);
child.on('exit', (code) => process.exit(code ?? 1));
