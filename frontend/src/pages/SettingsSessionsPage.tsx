export { SignedIn as default } from '@/features/sessions/SignedIn';
