//! Formats times in the time zone of the user, without seconds.

use skein_format::time::Time;

const DAY: i64 = 24 * 3_600_000;

/// The current time, and the time zone of the user.
#[derive(Clone, Copy, Debug)]
pub struct LocalClock {
    /// The current time.
    pub now: Time,
    /// Formats milliseconds since 1970 as `2026-01-23 14:30`.
    pub write: fn(i64) -> String,
}

impl LocalClock {
    /// Returns the date and the time of the day: `2026-01-23 14:30`.
    pub fn date_time(&self, time: Time) -> String {
        (self.write)(time.as_millis())
    }

    /// Returns the time of the day: `14:30`.
    pub fn time_of_day(&self, time: Time) -> String {
        let text = self.date_time(time);
        text.split_once(' ').map_or(text.clone(), |(_, time)| time.to_owned())
    }

    /// Returns the end of a time span: `14:30` today, `tomorrow 14:30`, or `2026-01-27 14:30`.
    pub fn end(&self, time: Time) -> String {
        let text = self.date_time(time);
        let day = |millis: i64| (self.write)(millis).split(' ').next().map(str::to_owned);
        let now = self.now.as_millis();
        match text.split_once(' ') {
            Some((date, time)) if Some(date) == day(now).as_deref() => time.to_owned(),
            Some((date, time)) if Some(date) == day(now.saturating_add(DAY)).as_deref() => {
                format!("tomorrow {time}")
            }
            _ => text,
        }
    }
}

/// Formats milliseconds since 1970 as `2026-01-23 14:30` in UTC.
pub fn utc_minutes(millis: i64) -> String {
    let text = Time::from_millis(millis).to_string();
    text.chars().take("2026-01-23T14:30".len()).collect::<String>().replacen('T', " ", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_is_included_unless_it_is_today() {
        let at = |text: &str| skein_format::time::parse(text).unwrap().time;
        let west: fn(i64) -> String = |millis| utc_minutes(millis - 5 * 3_600_000);
        let clock = LocalClock { now: at("2026-01-23T23:00:00Z"), write: west };
        let end = |text: &str| clock.end(at(text));
        assert_eq!(end("2026-01-24T01:30:59.999Z"), "20:30");
        assert_eq!(end("2026-01-24T05:00:00Z"), "tomorrow 00:00");
        assert_eq!(end("2026-01-25T05:00:00Z"), "2026-01-25 00:00");
        assert_eq!(end("2026-01-22T12:00:00Z"), "2026-01-22 07:00");
        assert_eq!(clock.time_of_day(at("2026-01-22T12:00:00Z")), "07:00");
    }
}
