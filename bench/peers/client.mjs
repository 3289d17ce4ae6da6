// The near end: sends messages and times their answers. Prints its figures, in microseconds, on descriptor 3.
//   round-trips COUNT SIZE PAUSE    one after the other, PAUSE milliseconds between
//   window COUNT SIZE OPEN          so many unanswered at any time
//   one-way COUNT SIZE              all written as fast as they are taken, then one line waited for
import fs from 'node:fs';

const [mode, ...numbers] = process.argv.slice(2);
const [count, size, extra = 0] = numbers.map(Number);
const buffer = Buffer.allocUnsafe(1 << 20);
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const microseconds = () => Number(process.hrtime.bigint()) / 1e3;

const head = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"';
const tail = '"}}}\n';
const message = Buffer.from(head + 'x'.repeat(Math.max(0, size - head.length - tail.length)) + tail);

function write(bytes) {
  for (let done = 0; done < bytes.length;) done += fs.writeSync(1, bytes, done);
}

function read() {
  const got = fs.readSync(0, buffer);
  if (got === 0) throw new Error('the other end closed');
  return got;
}

function roundTrips() {
  const times = [];
  for (let turn = 0; turn < count; turn++) {
    if (extra > 0) Atomics.wait(sleeper, 0, 0, extra);
    const start = microseconds();
    write(message);
    for (let got = 0; got < message.length;) got += read();
    times.push(microseconds() - start);
  }
  return times;
}

function window() {
  const times = [];
  const sent = [];
  const send = () => {
    sent.push(microseconds());
    write(message);
  };
  while (sent.length < extra) send();
  for (let bytes = 0; times.length < count;) {
    bytes += read();
    const now = microseconds();
    for (; bytes >= message.length && times.length < count; bytes -= message.length)
      times.push(now - sent[times.length]);
    while (sent.length < count && sent.length - times.length < extra) send();
  }
  return times;
}

function oneWay() {
  const start = microseconds();
  for (let turn = 0; turn < count; turn++) write(message);
  read();
  return (microseconds() - start) / count;
}

/** Percentiles, the first tenth left out: everything warms up in it. */
function percentiles(times) {
  const warm = times.slice(Math.floor(times.length / 10)).sort((a, b) => a - b);
  return { p50: warm[warm.length >> 1], p99: warm[Math.floor(warm.length * 0.99)] };
}

const figures = mode === 'one-way' ? { each: oneWay() } : percentiles(mode === 'window' ? window() : roundTrips());
fs.writeSync(3, JSON.stringify(figures));
