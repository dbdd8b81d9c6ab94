export { Members as default } from '@/features/members/Members';
