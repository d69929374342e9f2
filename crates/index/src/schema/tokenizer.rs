use std::vec;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::token::tokens;

/// Gives our tokens to the library.
#[derive(Clone)]
pub(crate) struct OurTokenizer;

impl Tokenizer for OurTokenizer {
    type TokenStream<'a> = OurTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> OurTokens<'a> {
        OurTokens { text, token: blank(), pulled: None }
    }
}

/// The tokens of one value.
pub(crate) struct OurTokens<'a> {
    text: &'a str,
    token: Token,
    /// The tokens as a list, for one who asks for one at a time.
    pulled: Option<vec::IntoIter<Token>>,
}

impl TokenStream for OurTokens<'_> {
    fn advance(&mut self) -> bool {
        if self.pulled.is_none() {
            let mut all = Vec::new();
            self.process(&mut |token| all.push(token.clone()));
            self.pulled = Some(all.into_iter());
        }
        match self.pulled.as_mut().and_then(Iterator::next) {
            Some(token) => {
                self.token = token;
                true
            }
            None => false,
        }
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }

    fn process(&mut self, sink: &mut dyn FnMut(&Token)) {
        let token = &mut self.token;
        tokens(self.text, |ours| {
            token.text.clear();
            token.text.push_str(ours.text);
            token.offset_from = ours.start;
            token.offset_to = ours.end;
            token.position = usize::try_from(ours.position).unwrap_or(usize::MAX);
            sink(token);
        });
    }
}

fn blank() -> Token {
    Token { position_length: 1, ..Token::default() }
}
