//! Who asks: a browser that was given the token once, or a program that has it.

use askama::Template;
use axum::extract::Request;
use axum::response::{Html, IntoResponse as _, Response};
use hyper::header::{AUTHORIZATION, COOKIE, HeaderValue, LOCATION, SET_COOKIE};
use hyper::{HeaderMap, Method, StatusCode};

use super::keys::{Cookie, SESSION, is_same};
use super::{Credentials, only};
use crate::error::WebError;
use skein_format::time::Time;

/// How a request got in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuthMethod {
    /// By the cookie of a browser, which goes along with what other pages make it send.
    Cookie {
        /// Whether the browser is to have a fresh one.
        is_old: bool,
    },
    /// By the token itself, which only a program sends that means to.
    Bearer,
}

/// Opens the page once.
pub(crate) const PASS: &str = "pass";

/// Says that a page was loaded again already.
const RELOADED_PARAM: &str = "again";

/// Finds out how a request gets in; the refusal is an answer of its own.
pub(super) fn check(
    keys: &Credentials,
    now: Time,
    request: &Request,
) -> Result<AuthMethod, Box<Response>> {
    let headers = request.headers();
    if headers.contains_key(AUTHORIZATION) {
        return match only(headers, "authorization").and_then(|text| text.strip_prefix("Bearer ")) {
            Some(token) if is_same(token.trim(), &keys.token) => Ok(AuthMethod::Bearer),
            _ => refuse("the token is not the one of this workspace"),
        };
    }
    let is_page = is_page(request);
    let cookie = cookie(keys, headers, now);
    let known = cookie != Cookie::Bad;
    if let Some(token) = parameter(request, "token").filter(|_| is_page) {
        return match (is_same(&token, &keys.token), known) {
            (true, _) => Err(Box::new(redirect(request, Some((keys, now))))),
            (false, true) => Err(Box::new(redirect(request, None))),
            (false, false) => refuse("the token in this address is not the one of this workspace"),
        };
    }
    if let Some(pass) = parameter(request, PASS).filter(|_| is_page) {
        return match (known, keys.take(&pass, now)) {
            (false, false) => refuse("this address was good for one opening, and for a while"),
            (_, good) => Err(Box::new(redirect(request, good.then_some((keys, now))))),
        };
    }
    let site = only(headers, "sec-fetch-site");
    let from_elsewhere = !matches!(site, None | Some("same-origin" | "none"));
    let navigates = only(headers, "sec-fetch-mode") == Some("navigate")
        && matches!(only(headers, "sec-fetch-dest"), None | Some("document"));
    let again = parameter(request, RELOADED_PARAM).is_some();
    if !known && is_page && from_elsewhere && navigates && !again {
        return Err(Box::new(load_again(request)));
    }
    if !known {
        return refuse("this browser has not been let in yet");
    }
    if from_elsewhere && !(is_page && navigates) {
        return refuse("a page of another site may not look in here");
    }
    if again && is_page {
        return Err(Box::new(redirect(request, None)));
    }
    Ok(AuthMethod::Cookie { is_old: cookie == Cookie::Old })
}

fn refuse(message: &str) -> Result<AuthMethod, Box<Response>> {
    let error = WebError::new(StatusCode::FORBIDDEN, message)
        .hint("run `skein serve` in the workspace and open the address that it prints; programs send `Authorization: Bearer TOKEN`");
    Err(Box::new(error.into_response()))
}

/// Returns whether a person may have opened the address, rather than a script of a page.
fn is_page(request: &Request) -> bool {
    let path = request.uri().path();
    let is_for_programs = ["/api/", "/fragment/"].iter().any(|start| path.starts_with(start));
    request.method() == Method::GET && !is_for_programs && path != "/events"
}

fn cookie(keys: &Credentials, headers: &HeaderMap, now: Time) -> Cookie {
    let name = keys.cookie_name();
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    let own = pairs.filter(|(key, _)| key.trim() == name);
    let mut judged = own.map(|(_, value)| keys.judge_cookie(value.trim(), now));
    judged.find(|cookie| *cookie != Cookie::Bad).unwrap_or(Cookie::Bad)
}

/// Lets the browser in for a while.
pub(super) fn set_cookie(headers: &mut HeaderMap, keys: &Credentials, now: Time) {
    let (name, value, life) = (keys.cookie_name(), keys.cookie(now), SESSION / 1000);
    let cookie = format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={life}");
    if let Ok(cookie) = HeaderValue::try_from(cookie) {
        headers.append(SET_COOKIE, cookie);
    }
}

/// Returns a parameter whose value needs no decoding.
fn parameter(request: &Request, name: &str) -> Option<String> {
    let pairs = request.uri().query()?.split('&');
    let mut values = pairs.filter_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (key == name).then_some(value)
    });
    values.next().map(str::to_owned)
}

/// Sends the browser to the same address without what is only for the door; with keys it is let in.
fn redirect(request: &Request, keys: Option<(&Credentials, Time)>) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    if let Ok(place) = HeaderValue::try_from(plain_address(request)) {
        headers.insert(LOCATION, place);
    }
    if let Some((keys, now)) = keys {
        set_cookie(headers, keys, now);
    }
    response
}

/// Returns the path and the parameters that are not only for the door.
fn plain_address(request: &Request) -> String {
    // Browsers take a backslash for a slash, and two of them at the start for another host.
    let path = request.uri().path().replace('\\', "%5C");
    let pairs = request.uri().query().unwrap_or("").split('&');
    let is_kept = |pair: &&str| {
        let key = pair.split('=').next().unwrap_or("");
        !key.is_empty() && !["token", PASS, RELOADED_PARAM].contains(&key)
    };
    let kept: Vec<&str> = pairs.filter(is_kept).collect();
    if kept.is_empty() { path } else { format!("{path}?{}", kept.join("&")) }
}

#[derive(Template)]
#[template(path = "again.html")]
struct AgainPage {
    address: String,
}

/// Answers a click on another site, with which a strict cookie does not come along: the page asks once more, itself.
fn load_again(request: &Request) -> Response {
    let address = plain_address(request);
    let joint = if address.contains('?') { '&' } else { '?' };
    let page = AgainPage { address: format!("{address}{joint}{RELOADED_PARAM}=1") };
    page.render()
        .map_or_else(|_| WebError::broken().into_response(), |page| Html(page).into_response())
}
