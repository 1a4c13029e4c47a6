//! The examples of the documentation are layouts as they stand there.

use super::*;

/// The blocks of YAML in a page.
fn examples(page: &str) -> Vec<&str> {
    let blocks = page.split("```yaml\n").skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap_or(block))
        .collect()
}

#[test]
fn every_example_can_be_read() {
    let path = checkout().join("docs/layouts.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let examples = examples(&page);
    assert!(examples.len() >= 3, "{}", examples.len());
    for example in examples {
        if let Err(error) = reader().seed(1).parse(example, &path) {
            panic!("{error}\nfor:\n{example}");
        }
    }
}
