// DNS messages over TCP, each prefixed with its length (RFC 1035, section 4.2.2). dns-packet's `streamEncode` writes them. Its `streamDecode` is
// not used for reading: it decodes past the end of the message before any limit can be checked, and does not report where the next message begins.

/** Splits off the first complete message; undefined until all of it has been received. */
export function firstMessage(received: Buffer): { readonly message: Buffer; readonly rest: Buffer } | undefined {
  if (received.byteLength < 2) return undefined;
  const end = 2 + received.readUInt16BE();
  return received.byteLength < end ? undefined : { message: received.subarray(2, end), rest: received.subarray(end) };
}
