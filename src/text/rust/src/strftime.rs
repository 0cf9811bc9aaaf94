//! strftime in the C locale over a given time, so that neither the host's locale nor the clock changes a rendering.

use minijinja::{Error, ErrorKind};

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

struct Civil {
    year: i64,
    month: i64,
    day: i64,
    weekday: i64,
    day_of_year: i64,
    seconds: i64,
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn civil(unix_time: i64) -> Civil {
    let days = unix_time.div_euclid(86_400);
    let (mut year, mut left) = (1970 + days.div_euclid(146_097) * 400, days.rem_euclid(146_097));
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if left < length {
            break;
        }
        left -= length;
        year += 1;
    }
    let day_of_year = left;
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 0;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    let weekday = (days + 4).rem_euclid(7);
    Civil { year, month, day: left + 1, weekday, day_of_year, seconds: unix_time.rem_euclid(86_400) }
}

/// Longer than any date, and short enough to cost nothing.
const MAX_FORMAT: usize = 4096;

pub fn format(format: &str, unix_time: i64) -> Result<String, Error> {
    if format.len() > MAX_FORMAT {
        let message = format!("strftime_now takes a format of up to {MAX_FORMAT} bytes");
        return Err(Error::new(ErrorKind::InvalidOperation, message));
    }
    let t = civil(unix_time);
    let (hour, minute, second) = (t.seconds / 3600, t.seconds / 60 % 60, t.seconds % 60);
    let hour12 = (hour + 11) % 12 + 1;
    let (day_name, month_name) = (DAYS[t.weekday as usize], MONTHS[t.month as usize]);
    let again = |f: &str| self::format(f, unix_time);
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut code = chars.next().unwrap_or('%');
        let bare = code == '-';
        if bare {
            code = chars.next().unwrap_or('%');
        }
        let number = |n: i64, width: usize| if bare { n.to_string() } else { format!("{n:0width$}") };
        out.push_str(&match code {
            'a' => day_name[..3].to_string(),
            'A' => day_name.to_string(),
            'b' | 'h' => month_name[..3].to_string(),
            'B' => month_name.to_string(),
            'c' => again("%a %b %e %H:%M:%S %Y")?,
            'd' => number(t.day, 2),
            'D' | 'x' => again("%m/%d/%y")?,
            'e' => format!("{:2}", t.day),
            'F' => again("%Y-%m-%d")?,
            'H' => number(hour, 2),
            'I' => number(hour12, 2),
            'j' => number(t.day_of_year + 1, 3),
            'm' => number(t.month + 1, 2),
            'M' => number(minute, 2),
            'p' => if hour < 12 { "AM" } else { "PM" }.to_string(),
            'R' => again("%H:%M")?,
            's' => unix_time.to_string(),
            'S' => number(second, 2),
            'T' | 'X' => again("%H:%M:%S")?,
            'u' => ((t.weekday + 6) % 7 + 1).to_string(),
            'w' => t.weekday.to_string(),
            'y' => number(t.year.rem_euclid(100), 2),
            'Y' => t.year.to_string(),
            'z' | 'Z' => String::new(),
            '%' => "%".to_string(),
            other => {
                let message = format!("strftime_now knows no %{other}");
                return Err(Error::new(ErrorKind::InvalidOperation, message));
            }
        });
    }
    Ok(out)
}
