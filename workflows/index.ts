export { buildDataset } from './build-dataset.ts';
export { constructChunk } from './construct-chunk.ts';
