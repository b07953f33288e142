import { describe, expect, test } from 'vitest';
import { createHostCheck } from '../../core/http/host-names.ts';

const LOOPBACK = { host: '127.0.0.1', address: '127.0.0.1', port: 3000 };

describe('host names with a public URL', () => {
  const isFor = createHostCheck(LOOPBACK, 'https://pets.example.com');

  test.each(['pets.example.com', 'PETS.example.com', 'pets.example.com:443', 'localhost:3000', '127.0.0.1:3000'])(
    "%s is the service's own host",
    (name) => {
      expect(isFor(name, '127.0.0.1', 'client')).toBe('own');
    },
  );

  test.each(['pets.example.com:80', 'other.example.com', 'localhost', ''])('%j is refused, even from a proxy', (name) => {
    expect([isFor(name, '127.0.0.1', 'client'), isFor(name, '127.0.0.1', 'proxy')]).toEqual(['refused', 'refused']);
  });

  test('a port in the public URL must match, or be missing behind proxies that drop it', () => {
    const withPort = createHostCheck(LOOPBACK, 'http://pets.example.com:8080');
    const verdicts = ['pets.example.com:8080', 'pets.example.com', 'pets.example.com:8081'].map((name) => withPort(name, '127.0.0.1', 'client'));
    expect(verdicts).toEqual(['own', 'own', 'refused']);
  });

  test('of the edge, connections are for it alone', () => {
    const verdicts = ['pets.example.com', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000', ''].map((name) => isFor(name, '127.0.0.1', 'edge'));
    expect(verdicts).toEqual(['own', 'refused', 'refused', 'refused', 'refused']);
  });

  test('other names are refused even when listening on all interfaces', () => {
    const everywhere = createHostCheck({ host: '0.0.0.0', address: '0.0.0.0', port: 3000 }, 'https://pets.example.com');
    expect(everywhere('other.example.com', '192.0.2.1', 'client')).toBe('refused');
    expect(everywhere('192.0.2.1:3000', '192.0.2.1', 'client')).toBe('own');
  });
});

test('without a public URL, a trusted proxy may name any host', () => {
  const isFor = createHostCheck(LOOPBACK, undefined);
  expect([
    isFor('pets.example.com', '127.0.0.1', 'proxy'),
    isFor('', '127.0.0.1', 'proxy'),
    isFor('pets.example.com', '127.0.0.1', 'client'),
  ]).toEqual(['own', 'unknown', 'refused']);
});
