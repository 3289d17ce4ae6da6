// The far end: reads and writes blocking descriptors, so that what is measured is what stands before it.
//   echo                 gives each line back when it is whole
//   sink BYTES [STALL]   reads so many bytes and then says one line; STALL milliseconds later than it could
import fs from 'node:fs';

const [mode, bytes, stall = 0] = process.argv.slice(2);
const buffer = Buffer.allocUnsafe(1 << 20);
const sleeper = new Int32Array(new SharedArrayBuffer(4));

function write(chunk) {
  for (let done = 0; done < chunk.length;) done += fs.writeSync(1, chunk, done);
}

function* chunks() {
  for (let count = fs.readSync(0, buffer); count > 0; count = fs.readSync(0, buffer)) yield buffer.subarray(0, count);
}

if (stall > 0) Atomics.wait(sleeper, 0, 0, Number(stall));
let held = [];
let left = mode === 'sink' ? Number(bytes) : Infinity;
for (const chunk of chunks()) {
  left -= chunk.length;
  if (left <= 0) write(Buffer.from('{"jsonrpc":"2.0","method":"notifications/done"}\n'));
  if (left <= 0) left = Infinity;
  if (mode !== 'echo') continue;
  if (chunk.at(-1) !== 0x0a) held.push(Buffer.from(chunk));
  else {
    for (const part of held) write(part);
    held = [];
    write(chunk);
  }
}
