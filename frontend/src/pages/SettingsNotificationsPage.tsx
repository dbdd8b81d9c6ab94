import { Notifications } from '@/features/notifications/Notifications';

export default Notifications;
