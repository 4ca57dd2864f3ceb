export type NoticeTone = 'success' | 'danger' | 'warning' | 'info';
