import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

// Runs after every install, by whatever Node there is. Without the development dependencies there is nothing to build
// with, and the package brings the page built.
if (existsSync('node_modules/vite')) execSync('npm run -s build:dashboard', { stdio: 'inherit' });
