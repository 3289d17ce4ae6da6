import type { FrameEvent, HeldEvent, HttpPlace, StreamName, TraceEvent } from './format.ts';
import type { Hasher } from './running-sum.ts';
import { StreamCheck, type StreamProof } from './stream-check.ts';
import type { Gap } from './verify.ts';

/** An event that has a place on HTTP and a side. */
type Placed = TraceEvent & HttpPlace;

/** Bytes that are collected for the digest of one body: there may be many bodies at once. */
const batch = 4096;

/** Holds the bodies of a recording of HTTP against their sums, each by itself. */
export class HttpCheck {
  private readonly open = new Map<string, StreamCheck>();
  private readonly proofs: Record<StreamName, StreamProof> = { client: none(), server: none(), stderr: none() };
  private readonly hasher: () => Hasher;
  private readonly tell: (gap: Gap) => void;

  constructor(hasher: () => Hasher, tell: (gap: Gap) => void) {
    this.hasher = hasher;
    this.tell = tell;
  }

  /** @returns whether the event has its place on HTTP */
  feed(event: TraceEvent): boolean {
    if (!isPlaced(event)) return false;
    switch (event.kind) {
      case 'frame':
      case 'held':
        this.check(event, event.from).feed(event);
        break;
      case 'lost':
        this.check(event, event.lost.from).feed(event);
        break;
      case 'streamSum':
        this.check(event, event.from).claim(event.n, event.sum);
        break;
      case 'streamEnded': {
        const check = this.check(event, event.from);
        check.claim(event.n, event.end.sum);
        this.end(key(event, event.from), event.from, 'closed');
        break;
      }
      default:
    }
    return true;
  }

  /** @param ending whether the recording was closed, still goes on, or broke off */
  endAll(ending: 'closed' | 'running' | 'cut off'): void {
    for (const open of this.open.keys()) this.end(open, sideOf(open), ending);
  }

  /** Of the bodies of one side, taken together. */
  proof(from: StreamName): StreamProof {
    return this.proofs[from];
  }

  private check(place: HttpPlace, from: StreamName): StreamCheck {
    const at = key(place, from);
    let check = this.open.get(at);
    if (!check) {
      const leg = place.leg === undefined ? '' : `, ${place.leg} leg`;
      check = new StreamCheck(from, this.hasher(), this.tell, { name: `${from}, stream ${place.s}${leg}`, batch });
      this.open.set(at, check);
    }
    return check;
  }

  private end(open: string, from: StreamName, ending: 'closed' | 'running' | 'cut off'): void {
    const check = this.open.get(open) as StreamCheck;
    this.open.delete(open);
    check.end(ending);
    const { bytes, proven, lost } = check.proof;
    const sum = this.proofs[from];
    this.proofs[from] = { bytes: sum.bytes + bytes, proven: sum.proven + proven, lost: sum.lost + lost };
  }
}

const none = (): StreamProof => ({ bytes: 0, proven: 0, lost: 0 });
const key = ({ s, leg }: HttpPlace, from: StreamName): string => `${from} ${s} ${leg ?? ''}`;
const sideOf = (open: string): StreamName => open.slice(0, open.indexOf(' ')) as StreamName;

function isPlaced(event: TraceEvent): event is Placed & (FrameEvent | HeldEvent | TraceEvent) {
  return 's' in event && typeof event.s === 'number';
}
