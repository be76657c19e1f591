export { ColumnsEditor } from './ColumnsEditor.tsx';
export { CountInput } from './CountInput.tsx';
export { ExpandEditor } from './ExpandEditor.tsx';
export { PartEditor } from './PartEditor.tsx';
export { ListOrderEditor } from './SortEditor.tsx';
