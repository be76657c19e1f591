import { randomBytes } from 'node:crypto';

let lastTime = 0;
let counter = 0;

/** A UUIDv7 (RFC 9562): its text sorts by the time of its creation, also within one millisecond. */
export function uuidv7(): string {
  const bytes = randomBytes(16);
  const now = Date.now();
  if (now > lastTime) {
    lastTime = now;
    counter = bytes.readUInt16BE(6) & 0x7ff;
  } else {
    counter += 1;
    if (counter > 0xfff) {
      lastTime += 1;
      counter = 0;
    }
  }
  bytes.writeUIntBE(lastTime, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
