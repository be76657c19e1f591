import type { NextConfig } from 'next';

const config: NextConfig = {
  // Plinth runs as it is in Node: it has parts that a bundle would miss.
  serverExternalPackages: ['plinth'],
};

export default config;
