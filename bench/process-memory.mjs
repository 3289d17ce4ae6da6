// How much memory a client and all that it starts have needed, without the server. Linux alone can be asked.
import fs from 'node:fs';

const mark = 'WIREPROOF_BENCH_RUN';
const betweenLooks = 4;
const megabytes = (status, name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;

/**
 * Watches processes by a mark in their environment, which what they start inherits, even where it outlives them. Told
 * is their peak together: what each has had at most, and what is of files (the program itself, which all Node.js
 * processes share) once only.
 */
export class MemoryWatch {
  /** @param server the words of its command line: it is not counted */
  constructor(server) {
    this.server = `${server.join('\0')}\0`;
    this.id = String(Math.random());
    this.others = new Set(fs.readdirSync('/proc'));
    this.most = 0;
    this.timer = setInterval(() => this.look(), betweenLooks);
  }

  static get isPossible() {
    return fs.existsSync('/proc/self/status');
  }

  get env() {
    return { [mark]: this.id };
  }

  look() {
    let own = 0;
    let shared = 0;
    for (const pid of fs.readdirSync('/proc')) {
      if (this.others.has(pid) || !/^\d+$/.test(pid)) continue;
      const status = this.statusOf(pid);
      if (!status) continue;
      const ofFiles = megabytes(status, 'RssFile');
      own += megabytes(status, 'VmHWM') - ofFiles;
      shared = Math.max(shared, ofFiles);
    }
    this.most = Math.max(this.most, own + shared);
  }

  /** @returns nothing for what is not to be counted */
  statusOf(pid) {
    try {
      const environment = fs.readFileSync(`/proc/${pid}/environ`, 'latin1');
      const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      // It is about to begin, or has ended.
      if (environment === '' || command === '') return undefined;
      const isServer = command === this.server;
      if (isServer || !environment.includes(`${mark}=${this.id}`)) {
        this.others.add(pid);
        return undefined;
      }
      const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
      // A copy of its parent that has not become a program of its own yet has the same command line.
      const parent = /PPid:\s+(\d+)/.exec(status)?.[1];
      return command === fs.readFileSync(`/proc/${parent}/cmdline`, 'latin1') ? undefined : status;
    } catch {
      return undefined;
    }
  }

  /** @returns MB */
  end() {
    clearInterval(this.timer);
    return this.most;
  }
}
