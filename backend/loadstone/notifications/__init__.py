"""Notifications: channels of a team, and every attempt to tell them something."""
